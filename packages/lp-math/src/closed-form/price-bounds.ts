/** Prices between which a position trades, in the order of the price they are compared with; 0 and Infinity hold every price. */
export type PriceBounds = { readonly lower: number; readonly upper: number }
