/** Where elements count as done: they leave an operator for the consumer, or enter a sink. */
export interface End {
  readonly operator: string;
  readonly counted: 'elementsOut' | 'elementsIn';
}
