/** The name of an operator that people see. */
export type Label = (id: string) => string;

/** Labels of operators by their ids; an id that is not among them stands for itself. */
export function labelsOf(operators: readonly { readonly id: string; readonly label: string }[]): Label {
  const labels = new Map(operators.map(({ id, label }) => [id, label]));
  return id => labels.get(id) ?? id;
}

/** A verdict in a cell: its kind and the first operator it names. */
export function verdictName(
  { kind, operators: [first] }: { readonly kind: string; readonly operators: readonly string[] },
  label: Label,
): string {
  return first === undefined ? kind : `${kind}: ${label(first)}`;
}
