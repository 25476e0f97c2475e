import type { Trader } from '@svc/devnet'
import type { World } from '../start-world.ts'
import type { Agent } from './agent.ts'
import type { Transcript } from './transcript.ts'

/** What a chapter of the story has before it. */
export type Scene = {
  readonly world: World
  readonly agent: Agent
  readonly transcript: Transcript
  /** Others, who trade from the first chapter to the last. */
  readonly trader: Trader
}
