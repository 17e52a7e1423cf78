const ESC = 0x1b;
const BEL = 0x07;
const STRING_TERMINATOR = 0x9c;

const isControl = (code: number): boolean => code < 0x20 || (code >= 0x7f && code < 0xa0);

/** Index behind a control sequence's parameters and final byte; the sequence's introducer ended before `at`. */
function afterControlSequence(text: string, at: number): number {
  let i = at;
  while (i < text.length && text.charCodeAt(i) >= 0x20 && text.charCodeAt(i) <= 0x3f) i++;
  const final = text.charCodeAt(i);
  return final >= 0x40 && final <= 0x7e ? i + 1 : i;
}

/** Index behind a control string (window titles, links, device strings); `at` itself where it never ends. */
function afterControlString(text: string, at: number): number {
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BEL || code === STRING_TERMINATOR) return i + 1;
    if (code === ESC) return text[i + 1] === '\\' ? i + 2 : i;
  }
  return at;
}

/** Index behind the escape sequence or lone control character that starts at `at`. */
function afterControl(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === 0x9b) return afterControlSequence(text, at + 1);
  if (code === 0x90 || code === 0x98 || (code >= 0x9d && code <= 0x9f)) return afterControlString(text, at + 1);
  if (code !== ESC) return at + 1;
  const next = text.charCodeAt(at + 1);
  if (next === 0x5b) return afterControlSequence(text, at + 2);
  if (next === 0x50 || next === 0x58 || (next >= 0x5d && next <= 0x5f)) return afterControlString(text, at + 2);
  let i = at + 1;
  while (text.charCodeAt(i) >= 0x20 && text.charCodeAt(i) <= 0x2f) i++;
  const final = text.charCodeAt(i);
  return final >= 0x30 && final <= 0x7e ? i + 1 : i;
}

/** Invisible characters that turn or hide text. The joiners stay: emoji and several scripts are spelled with them. */
const INVISIBLE = /[\p{Cf}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;
const LONE_SURROGATE = /\p{Cs}/gu;

/**
 * One line of text that a terminal can only show, never obey: escape sequences and control characters are taken out,
 * line breaks and tabs become a space.
 */
export function plainText(text: string): string {
  let out = '';
  let from = 0;
  for (let i = 0; i < text.length; ) {
    const code = text.charCodeAt(i);
    if (!isControl(code)) {
      i++;
      continue;
    }
    out += text.slice(from, i);
    const isSpace = code === 0x09 || code === 0x0a || code === 0x0d;
    if (isSpace && !out.endsWith(' ')) out += ' ';
    i = afterControl(text, i);
    from = i;
  }
  out += text.slice(from);
  return out
    .replace(INVISIBLE, char => (char === '\u200d' || char === '\u200c' ? char : ''))
    .replace(LONE_SURROGATE, '\ufffd');
}
