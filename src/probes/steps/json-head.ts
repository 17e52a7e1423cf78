/** Whether a file begins as JSON does: an object or a list. */
export const isJson = (head: string): boolean => /^\s*[{[]/.test(head);
