import { ToolError } from '../tool-error.ts'

/**
 * The results of reads that cannot revert.
 *
 * @throws ToolError `RPC_REFUSED` when one did, which means that the node could not carry it out.
 */
export function everyResult<Result>(results: readonly (Result | null)[]): Result[] {
  return results.map((result) => {
    if (result !== null) return result
    const message = 'The endpoint of the chain could not carry out a part of the reading.'
    throw new ToolError('RPC_REFUSED', message, { details: [{ field: 'chain', message }] })
  })
}
