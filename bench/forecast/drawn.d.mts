export interface DrawnStep {
  readonly kind: string;
  readonly name: string;
}

export interface DrawnPipeline {
  readonly name: string;
  readonly family: string;
  readonly spec: {
    readonly elements: number;
    readonly branches: readonly (readonly DrawnStep[])[];
    readonly join?: 'zip' | 'merge';
    readonly steps: readonly DrawnStep[];
  };
  readonly ways: readonly {
    readonly name: string;
    readonly actions: readonly { readonly kind: string; readonly operator: string; readonly to?: number }[];
  }[];
}

export const FAMILY_NAMES: readonly string[];
export function drawn(seed: number, count: number, cores: number): DrawnPipeline[];
