/**
 * Reads v4's packed PositionInfo: bits 0 to 7 the subscriber flag, 8 to 31 tickLower, 32 to 55 tickUpper (both signed 24 bits);
 * the 200 bits above hold the truncated pool id. Source: PositionInfoLibrary of v4-periphery.
 */
export function unpackPositionInfo(info: bigint): PositionInfo {
  return {
    tickLower: Number(BigInt.asIntN(24, info >> 8n)),
    tickUpper: Number(BigInt.asIntN(24, info >> 32n)),
    hasSubscriber: BigInt.asUintN(8, info) !== 0n,
  }
}

/** What v4's position manager packs of a position. */
export type PositionInfo = { tickLower: number; tickUpper: number; hasSubscriber: boolean }
