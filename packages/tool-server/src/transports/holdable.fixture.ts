import { holding } from '../holding.fixture.ts'
import { slow } from '../test-server.fixture.ts'
import type { Tool } from '../tool.ts'

/** `get_slow`, the first call of which says that it is under way; all of them end when the test says so. */
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
