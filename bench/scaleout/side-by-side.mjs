/** Trainings that leave most of the machine idle, several at a time. */

/**
 * Works through tasks `{ key, load, work }` in order, as many at a time as `room` is enough for by their loads. A task needs a lane of its key, and has it to itself while it
 * works: `work(lane)`. One that needs more than all room is alone. Those that do not fit yet are overtaken. Nothing is begun any more once `isOver` says so.
 */
export async function sideBySide(tasks, lanes, room, isOver) {
  const pending = [...tasks];
  const idle = [...lanes];
  const working = new Set();
  let used = 0;

  const next = () => {
    for (const task of pending) {
      const fits = used === 0 || used + task.load <= room;
      const lane = fits ? idle.find(({ key }) => key === task.key) : undefined;
      if (lane !== undefined) return { task, lane };
    }
    return undefined;
  };

  const begin = ({ task, lane }) => {
    pending.splice(pending.indexOf(task), 1);
    idle.splice(idle.indexOf(lane), 1);
    used += task.load;
    const done = task.work(lane).finally(() => {
      // What is left of a sum of loads that were added and taken away is not quite nothing.
      used = working.size === 1 ? 0 : used - task.load;
      idle.push(lane);
      working.delete(done);
    });
    working.add(done);
  };

  for (;;) {
    for (let found = isOver() ? undefined : next(); found !== undefined; found = next()) begin(found);
    if (working.size === 0) return;
    await Promise.race(working);
  }
}
