import type { Chain } from '@svc/wallet/core'
import { type LogScan, scanLogs } from '../logs/scan-logs.ts'
import { ToolError } from '../../tool-error.ts'

/**
 * How the swap logs of one history are scanned for. On a chain with blocks of 2 s and ranges of 2,000 the requests reach 59 days back where
 * the endpoint takes wider and wider ones, and 2.9 days where it takes none wider.
 */
export function swapScan({
  logRangeBlocks,
}: Pick<Chain, 'logRangeBlocks'>): Pick<LogScan<never>, 'spanBlocks' | 'widestBlocks' | 'maxRequests'> {
  return { spanBlocks: logRangeBlocks, widestBlocks: 64 * logRangeBlocks, maxRequests: 64 }
}

/** How many blocks such a scan reads of a pool that trades little, at an endpoint that takes ranges up to a width and where that is known. */
export async function swapScanBlocks(chain: Pick<Chain, 'logRangeBlocks'>, width: number): Promise<bigint> {
  const newest = BigInt(Number.MAX_SAFE_INTEGER)
  const scan = swapScan(chain)
  const { scannedFrom } = await scanLogs<never>({
    ...scan,
    spanBlocks: Math.min(width, scan.spanBlocks),
    read: async (from, to) => {
      if (to - from >= BigInt(width)) throw new ToolError('RPC_REFUSED', 'Too wide.')
      return []
    },
    newest,
    oldest: 0n,
    isEnough: () => false,
  })
  return newest - scannedFrom + 1n
}
