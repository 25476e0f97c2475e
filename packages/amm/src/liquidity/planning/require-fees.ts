import type { CollectOutcome, Position } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'

/** The fees a position is owed. Throws `NOTHING_TO_COLLECT` when there are none, and says so where there will be none. */
export function requireFees(position: Position): CollectOutcome {
  const { fees0, fees1 } = position
  if (fees0 > 0n || fees1 > 0n) return { fees0, fees1 }
  throw new ToolError(
    'NOTHING_TO_COLLECT',
    `Position ${position.positionId} has earned no fees that are not collected.`,
    position.liquidity === 0n
      ? { suggestion: 'The position is closed and earns nothing: all its liquidity was taken out and all was paid.' }
      : {},
  )
}
