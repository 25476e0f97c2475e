// Points at which this process may end itself with SIGKILL, or stop itself with SIGSTOP: whoever comes to one names it, and the one that is
// armed strikes.
const state = { trace: [], armed: null, signal: 'SIGKILL' }

/** The process ends, or gets `signal`, at the nth time it comes to the point of this label; `null` for never. */
export function arm(point) {
  state.trace = []
  state.signal = point?.signal ?? 'SIGKILL'
  state.armed = point === null ? null : { label: point.label, left: point.nth }
}

/** The points that were come to since `arm`, in order. */
export const tracedPoints = () => state.trace

/** Notes the point, and says whether the process has to end at it. */
export function isDue(label) {
  if (state.trace.length < 10_000) state.trace.push(label)
  const { armed } = state
  if (armed === null || armed.label !== label) return false
  armed.left -= 1
  return armed.left === 0
}

export function reach(label) {
  if (isDue(label)) end()
}

export function end() {
  process.kill(process.pid, state.signal)
}

export async function around(label, work) {
  reach(`${label} | before`)
  const value = await work()
  reach(`${label} | after`)
  return value
}
