import { type Address, isAddress, isHex, size, slice } from 'viem'

/**
 * Of which token the amounts among a function's arguments are, by the names that the AMM's own interfaces give them. What
 * the arguments do not say by themselves (a position's tokens, for example) is left out, never guessed.
 */
export function argumentTokens(
  functionName: string,
  args: ReadonlyMap<string, unknown>,
  contract: { readonly token: Address | null; readonly wrappedNative: Address },
): Readonly<Record<string, Address>> {
  const sources: Readonly<Record<string, Address | null>> = {
    '0': addressIn(args, 'token0', 'currency0'),
    '1': addressIn(args, 'token1', 'currency1'),
    A: addressIn(args, 'tokenA'),
    B: addressIn(args, 'tokenB'),
    ETH: contract.wrappedNative,
    Token: addressIn(args, 'token'),
    In: addressIn(args, 'tokenIn', 'currencyIn', inOfPool(args)) ?? endsOf(args.get('path'))?.first ?? null,
    Out: addressIn(args, 'tokenOut', outOfPool(args)) ?? endsOf(args.get('path'))?.last ?? null,
    '': addressIn(args, 'token', 'currency') ?? (/wrap/i.test(functionName) ? contract.wrappedNative : contract.token),
  }
  return Object.fromEntries(
    [...args].flatMap(([name, value]) => {
      const side = typeof value === 'bigint' ? amountName.exec(name)?.[1] : undefined
      const token = side === undefined ? null : (sources[side] ?? null)
      return token === null ? [] : [[name, token]]
    }),
  )
}

const amountName = /^(?:(?:min|max)A|a)mount(0|1|A|B|ETH|Token|In|Out|)(?:Desired|Min|Minimum|Max|Maximum)?$/

function addressIn(args: ReadonlyMap<string, unknown>, ...names: readonly string[]): Address | null {
  for (const name of names) {
    const value = args.get(name)
    if (typeof value === 'string' && isAddress(value, { strict: false })) return value
  }
  return null
}

/** Which currency of a v4 pool goes in: `zeroForOne` says which way the swap goes. */
function inOfPool(args: ReadonlyMap<string, unknown>): string {
  return args.get('zeroForOne') === true ? 'currency0' : args.get('zeroForOne') === false ? 'currency1' : ''
}

function outOfPool(args: ReadonlyMap<string, unknown>): string {
  return args.get('zeroForOne') === true ? 'currency1' : args.get('zeroForOne') === false ? 'currency0' : ''
}

/** A list of addresses in v2; in v3 bytes that begin and end with one; in v4 a list of hops, each with what comes out of it. */
function endsOf(path: unknown): { readonly first: Address; readonly last: Address } | null {
  const ends: readonly unknown[] = Array.isArray(path)
    ? [currencyOf(path[0]), currencyOf(path.at(-1))]
    : isHex(path) && size(path) >= addressBytes * 2
      ? [slice(path, 0, addressBytes), slice(path, -addressBytes)]
      : []
  const [first, last] = ends
  if (typeof first !== 'string' || typeof last !== 'string') return null
  return isAddress(first, { strict: false }) && isAddress(last, { strict: false }) ? { first, last } : null
}

function currencyOf(hop: unknown): unknown {
  const isHop = typeof hop === 'object' && hop !== null && 'intermediateCurrency' in hop
  return isHop ? hop.intermediateCurrency : hop
}

const addressBytes = 20
