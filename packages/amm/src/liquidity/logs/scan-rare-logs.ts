import { ToolError } from '../../tool-error.ts'
import { scanLogs, type LogScan } from './scan-logs.ts'

/**
 * Reads logs of a narrow filter: first over the whole range at once, which many endpoints answer when little matches, and
 * otherwise backwards in chunks.
 *
 * @throws ToolError `RPC_*`
 */
export async function scanRareLogs<Entry>(options: LogScan<Entry>): Promise<{ logs: Entry[]; scannedFrom: bigint }> {
  try {
    return { logs: [...(await options.read(options.oldest, options.newest))], scannedFrom: options.oldest }
  } catch (error) {
    if (!(error instanceof ToolError) || (error.code !== 'RPC_REFUSED' && error.code !== 'RPC_TIMEOUT')) throw error
    return scanLogs(options)
  }
}
