import { type Settled, ToolError } from '@svc/amm'
import type { ExecutionContext } from '../context/engine.ts'

/**
 * Lets a tool shape its result. The transactions are mined by now, so a failure here must not read as "nothing happened":
 * it names the hashes and says not to call again.
 */
export async function shapeResult<Result>(
  { engine, call }: ExecutionContext,
  settled: Settled,
  shape: (settled: Settled) => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await shape(settled)
  } catch (cause) {
    engine.log.error('result.unshaped', { requestId: call.requestId, error: cause })
    throw new ToolError('RESULT_UNREADABLE', 'The transactions were mined; what they did could not be read in full.', {
      details: settled.transactions.map(({ label, hash }) => ({ message: label, txHash: hash })),
      cause,
    })
  }
}
