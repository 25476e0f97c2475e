import type { Address, Hex, PublicClient } from 'viem'
import { ToolError } from '../tool-error.ts'

/** The bytes that a contract answers with; `0x` where it reverts. @throws ToolError `RPC_*` */
export async function callAnswer(
  client: PublicClient,
  { to, data }: { readonly to: Address; readonly data: Hex },
  blockNumber?: bigint,
): Promise<Hex> {
  try {
    return (await client.call({ to, data, ...(blockNumber !== undefined && { blockNumber }) })).data ?? '0x'
  } catch (error) {
    if (error instanceof ToolError) throw error
    return '0x'
  }
}
