import type { PageDocument, PageSection } from './document.ts';
import type { LiveNews } from './live-news.ts';

/** Key of an object that stands for a number JSON has not. */
const NUMBER = '$number';

/**
 * JSON of a page document, a section or its news. Numbers that JSON has not are kept (`{"$number":"NaN"}`): forecasts are computed from them in
 * the page. The text holds no `<`, `>` or `&` and can stand in a `<script type="application/json">`, whatever is in it.
 */
export const encodePage = (value: PageDocument | PageSection | LiveNews): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'number' && !Number.isFinite(each) ? { [NUMBER]: String(each) } : each,
  ).replace(/[<>&\u2028\u2029]/g, unsafe => `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const decodePage = (text: string): PageDocument => JSON.parse(text, reviveNumber) as PageDocument;

export const decodeSection = (text: string): PageSection => JSON.parse(text, reviveNumber) as PageSection;

export const decodeNews = (text: string): LiveNews => JSON.parse(text, reviveNumber) as LiveNews;

function reviveNumber(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(NUMBER in value)) return value;
  return Number(value[NUMBER]);
}
