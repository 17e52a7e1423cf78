/** The visits in a web server's log, in JSON Lines: what weblog-by-hand.mjs does. */
import { defineOperator, lines, pipeline } from 'venturi/engine';
import { isView, parse, Sessions } from './weblog-lines.mjs';

const visits = defineOperator({
  kind: 'visits',
  open() {
    const sessions = new Sessions();
    return {
      element(hit) {
        const session = sessions.add(hit);
        return session === undefined ? [] : [session];
      },
      end: () => sessions.rest(),
    };
  },
});

export default pipeline(import.meta, { log: String, out: String }, ({ log, out }) =>
  lines(log).map(parse, { name: 'parse' }).filter(isView, { name: 'views' }).apply(visits).writeJsonl(out),
);
