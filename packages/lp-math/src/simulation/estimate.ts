/** A number out of random paths, and how far it may lie from what endless paths would give. */
export type Estimate = { readonly mean: number; readonly standardError: number }
