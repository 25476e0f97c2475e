import type { PlannedCall } from './agent-plan.fixture.ts'
import type { WorldView } from './world-view.fixture.ts'

/** Decides on a call of the agent from what it sees at the head; it keeps its own daily budgets. */
export type Guard = (view: WorldView, call: PlannedCall) => Verdict

export type Verdict = {
  readonly allowed: boolean
  /** The most the owner may lose by the call, by the policy. */
  readonly lossBoundUsd: number
  /** Of a refusal: the code, and the sentence for the caller. */
  readonly code: string | null
  readonly message: string | null
}

/** A guard with budgets of its own, for each program a fresh one. */
export type CreateGuard = () => Guard

export function allow(lossBoundUsd: number): Verdict {
  return { allowed: true, lossBoundUsd, code: null, message: null }
}

export function refuse(code: string, message: string): Verdict {
  return { allowed: false, lossBoundUsd: 0, code, message }
}
