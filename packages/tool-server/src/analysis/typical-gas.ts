/** Units of gas of one v3 operation, measured on the local chain with the real contracts; decrease collects as well. */
export const typicalGas = { swap: 126_000n, mint: 450_000n, decrease: 188_000n, collect: 202_000n } as const
