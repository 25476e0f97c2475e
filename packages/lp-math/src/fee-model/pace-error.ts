import type { FeePace } from './fee-pace.ts'

/** One standard error of the fees a day, as a fraction of them: 1 where nothing tells it, too few days being known or none with fees. */
export function paceError({ perDay, standardError }: FeePace): number {
  return perDay > 0 && standardError !== null ? standardError / perDay : 1
}
