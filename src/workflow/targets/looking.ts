/** How often something that runs is looked at, ms: what takes a tenth of a second is felt to happen at once (Miller, 1968; Nielsen, 1993). */
export const LOOK_MS = 100;
