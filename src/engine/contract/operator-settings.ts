export interface OperatorSettings {
  readonly parallelism?: number;
  readonly concurrency?: number;
}
