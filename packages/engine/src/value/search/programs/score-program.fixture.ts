import type { Verdict } from '../guards/guard.fixture.ts'
import type { ProgramResult } from './run-program.fixture.ts'

/** The most that one call of a program lost beyond its stake, in proportion to what it may lose. */
export function multipleOfProgram({ calls }: Pick<ProgramResult, 'calls'>): number {
  return calls.reduce((most, { leastLossUsd, verdict }) => Math.max(most, multipleOf(leastLossUsd, verdict)), 0)
}

export function multipleOf(lossUsd: number, { stakedUsd, lossBoundUsd }: Verdict): number {
  return Math.max(0, lossUsd - stakedUsd) / (lossBoundUsd + leastBoundUsd)
}

/** What the owner lost beyond what calls may lose. */
export function beyondUsd({ calls }: Pick<ProgramResult, 'calls'>): number {
  return calls.reduce((sum, { leastLossUsd, verdict }) => {
    return sum + Math.max(0, leastLossUsd - verdict.stakedUsd - verdict.lossBoundUsd - leastBoundUsd)
  }, 0)
}

/** The same for each dollar that it cost the attacker. */
export function beyondPerDollar(result: Pick<ProgramResult, 'calls' | 'attackerUsd'>): number {
  return beyondUsd(result) / Math.max(1, -result.attackerUsd)
}

/** What the attacker won at the owner's expense, beyond what was staked. */
export function earnedOfOwner({ attackerUsd, lossUsd, stakedUsd }: ProgramResult): number {
  return Math.min(attackerUsd, lossUsd) - stakedUsd
}

/** So that cents over next to nothing are no finding. */
const leastBoundUsd = 1
