import type { PlannedCall } from '../agent/agent-plan.fixture.ts'
import type { WorldView } from '../world/world-view.fixture.ts'

/** Decides on a call of the agent from what it sees at the head; it keeps its own budgets. */
export type Guard = (view: WorldView, call: PlannedCall) => Verdict

export type Verdict = {
  readonly allowed: boolean
  /** What the owner may lose by the call, as the policy lets any call lose. */
  readonly lossBoundUsd: number
  /** What may be lost apart from that, out of a budget of its own: for tokens nobody vouches for, and at prices of the moment. */
  readonly stakedUsd: number
  /** Of a refusal: the code, and the sentence for the caller. */
  readonly code: string | null
  readonly message: string | null
}

export function refuse(code: string, message: string): Verdict {
  return { allowed: false, lossBoundUsd: 0, stakedUsd: 0, code, message }
}
