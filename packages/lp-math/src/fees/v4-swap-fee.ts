/**
 * The whole fee of a v4 swap in millionths of the input: the protocol's part first, the liquidity providers' on the rest, rounded up.
 * Source: ProtocolFeeLibrary `calculateSwapFee` of v4-core.
 */
export function v4SwapFee(protocolFeePips: number, lpFeePips: number): number {
  return protocolFeePips + lpFeePips - Math.floor((protocolFeePips * lpFeePips) / 1_000_000)
}
