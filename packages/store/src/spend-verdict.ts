import type { SpendLimits } from './check-request.ts'

/** `used` is what counted before this request, in millionths of a US dollar. */
export type SpendVerdict =
  | { readonly granted: true; readonly used: SpendUsed }
  | {
      readonly granted: false
      readonly limit: keyof SpendLimits
      readonly capUsdMicros: bigint
      readonly usedUsdMicros: bigint
      readonly askedUsdMicros: bigint
    }

export type SpendUsed = { readonly session: bigint; readonly daily: bigint; readonly principalDaily: bigint }
