/** Bounds of ticks and of sqrt prices (Q64.96) in v3 and v4 pools; a pool's price is at least the minimum and below the maximum. */
export const MIN_TICK = -887272
export const MAX_TICK = 887272
export const MIN_SQRT_PRICE = 4295128739n
export const MAX_SQRT_PRICE = 1461446703485210103287273052203988822378723970342n
