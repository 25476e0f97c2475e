import { slow } from './test-server.fixture.ts'
import type { Tool } from './tool.ts'

/** A gate that a test holds: whoever comes to it says so and waits; once released it stays open. */
export function holding() {
  const entered = signal()
  const released = signal()
  return {
    /** Resolves when somebody has come to the gate. */
    entered: entered.given,
    release: released.give,
    pass: () => {
      entered.give()
      return released.given
    },
  }
}

/** `get_slow` whose calls say that they are under way and end when the test says so. */
export function holdable() {
  const held = holding()
  const tool: Tool = {
    ...slow,
    handle: async (input) => {
      await held.pass()
      return { waitedMs: input['ms'] }
    },
  }
  return [tool, held] as const
}

function signal() {
  let give = () => {}
  const given = new Promise<void>((resolve) => (give = resolve))
  return { given, give }
}
