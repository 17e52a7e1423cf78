export interface Task<L> {
  readonly key: string;
  readonly load: number;
  work(lane: L): Promise<void>;
}

export function sideBySide<L extends { readonly key: string }>(
  tasks: readonly Task<L>[],
  lanes: readonly L[],
  room: number,
  isOver: () => boolean,
): Promise<void>;
