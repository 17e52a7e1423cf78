/** The author's module, with all it imports of the author's own, as a profile names it. */
export const AUTHOR_FILE = 'pipeline';
/** What the names of our own modules begin with. */
export const ENGINE_FILES = 'venturi/';
