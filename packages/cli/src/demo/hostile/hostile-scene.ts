import type { World } from '../../start-world.ts'
import type { Agent } from '../agent.ts'
import type { Transcript } from '../transcript.ts'

/** Where the story of the hostile agent plays. */
export type HostileScene = {
  readonly world: World
  readonly agent: Agent
  readonly transcript: Transcript
}
