/**
 * Reads the packed protocol fee of a pool's slot0, a part for each input token: in v3 one n-th of the fee (4 bits each, 0 none),
 * in v4 millionths of the input (12 bits each). Source: UniswapV3Pool `feeProtocol`; ProtocolFeeLibrary of v4-core.
 */
export function unpackProtocolFee(version: 'v3' | 'v4', packed: number): ProtocolFee {
  return version === 'v3'
    ? { version, denominator0: packed % 16, denominator1: packed >> 4 }
    : { version, pips0: packed % 4096, pips1: packed >> 12 }
}

/** What the protocol takes when token0, or token1, is the input: one n-th of the fee (v3), or millionths of the input (v4). */
export type ProtocolFee =
  | { version: 'v3'; denominator0: number; denominator1: number }
  | { version: 'v4'; pips0: number; pips1: number }
