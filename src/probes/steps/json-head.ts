/** Whether a file begins as JSON does: an object or a list, perhaps behind a byte order mark. `head` has a character for each byte. */
export const isJson = (head: string): boolean => /^(?:\xef\xbb\xbf)?\s*[{[]/.test(head);
