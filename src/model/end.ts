/** Where elements count as done: they leave an operator for the consumer, or enter a sink, or what gathers them all. */
export interface End {
  readonly operator: string;
  readonly counted: 'elementsOut' | 'elementsIn';
}
