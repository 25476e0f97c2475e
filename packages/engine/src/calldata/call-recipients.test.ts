import { type Address, concatHex, type Hex, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { type CalldataPart, callRecipients, type Surface } from './call-recipients.ts'

const target: Address = '0x00000000000000000000000000000000000000aa'
const wallet: Address = '0x00000000000000000000000000000000000a11ce'
const weth: Address = '0x00000000000000000000000000000000000000ee'
const usdc: Address = '0x00000000000000000000000000000000000000dd'
const one: Address = '0x0000000000000000000000000000000000000001'
const two: Address = '0x0000000000000000000000000000000000000002'
const path: Hex = concatHex([usdc, '0x0001f4', weth])

const part = (name: string, values: CalldataPart['values']): CalldataPart => ({ name, values })
const recipients = (surface: Surface, ...parts: readonly CalldataPart[]) => callRecipients(surface, target, parts, weth)

const collect = (recipient: Address) => part('collect', { tokenId: 1n, recipient })
const sweep = (token: Address, recipient = wallet) => part('sweepToken', { token, recipient })
const unwrap = (recipient = wallet) => part('unwrapWETH9', { recipient })
const sweepV4 = (currency: Address) => part('v4 14', { currency, recipient: one })
const routed = (recipient: Address) => part('router 00', { recipient, path, amountIn: 1n, payerIsUser: true })
const wrap = part('router 0b', { recipient: two, amount: 5n })
const wrapAll = part('router 0b', { recipient: two, amount: 2n ** 255n })
const takenNative = part('v4 0e', { currency: zeroAddress, recipient: two })
const onward = (amountIn: bigint) =>
  part('router 08', { recipient: one, amountIn, path: [weth, usdc], payerIsUser: false })
const unwrapInside = part('router 0c', { recipient: two })
const drawnIn = (recipient: Address, token = weth) => part('router 02', { token, recipient, amount: 5n })
const paidNative = part('v4 0b', { currency: zeroAddress, amount: 2n ** 255n, payerIsUser: false })
const sweepRouted = (token: Address) => part('router 04', { token, recipient: wallet })
const onwardTo = (recipient: Address) =>
  part('router 08', { recipient, amountIn: 1n, path: [weth, usdc], payerIsUser: true })
/** Of an exact output: what is bought stands first. */
const back: Hex = concatHex([weth, '0x0001f4', usdc])
const routedOut = (name: string, along: Hex | readonly Address[], recipient = two) =>
  part(name, { recipient, path: along, amountOut: 1n, amountInMax: 2n, payerIsUser: false })

describe('G6: a called contract keeps nothing', () => {
  it.each<readonly [string, Surface, readonly CalldataPart[]]>([
    ['v2: the router', 'v2Router', [part('removeLiquidity', { to: target })]],
    ['v3: collect to nobody', 'v3PositionManager', [collect(zeroAddress)]],
    ['v3: collect to the manager by its address', 'v3PositionManager', [collect(target)]],
    ['v3: one of two tokens paid out', 'v3PositionManager', [collect(zeroAddress), unwrap(), unwrap()]],
    ['v3: paid out before', 'v3PositionManager', [sweep(usdc), unwrap(), collect(zeroAddress)]],
    ['v3: paid out to the manager', 'v3PositionManager', [collect(zeroAddress), sweep(usdc, target), unwrap(target)]],
    [
      'v3: a position for the manager',
      'v3PositionManager',
      [part('mint', { recipient: target }), sweep(usdc), unwrap()],
    ],
    ['router02: kept', 'v3SwapRouter02', [part('exactInputSingle', { recipient: two, tokenOut: weth })]],
    ['router02: another token', 'v3SwapRouter02', [part('exactInput', { recipient: two, path }), sweep(usdc)]],
    [
      'router02: an exact output kept',
      'v3SwapRouter02',
      [part('exactOutputSingle', { recipient: two, tokenOut: weth })],
    ],
    [
      'router02: what an exact output is paid with, unwrapped',
      'v3SwapRouter02',
      [part('exactOutput', { recipient: two, path }), unwrap()],
    ],
    ['v4: take', 'v4PositionManager', [part('v4 0e', { currency: usdc, recipient: two })]],
    ['v4: take by address', 'v4PositionManager', [part('v4 0e', { currency: usdc, recipient: target })]],
    [
      'v4: half of a pair',
      'v4PositionManager',
      [
        part('v4 11', { currency0: usdc, currency1: weth, recipient: two }),
        part('v4 14', { currency: usdc, recipient: one }),
      ],
    ],
    ['v4: sweep to itself', 'v4PositionManager', [part('v4 14', { currency: usdc, recipient: two })]],
    ['v4: a position for the manager', 'v4PositionManager', [part('v4 02', { recipient: two })]],
    ['v4: unwrapped, and as much is not owed', 'v4PositionManager', [part('v4 16', { amount: 5n }), sweepV4(weth)]],
    [
      'v4: wrapped, and as much is not owed',
      'v4PositionManager',
      [part('v4 15', { amount: 5n }), sweepV4(zeroAddress)],
    ],
    ['universal: kept', 'universalRouter', [routed(two)]],
    ['universal: kept by address', 'universalRouter', [routed(target)]],
    ['universal: another token', 'universalRouter', [routed(two), part('router 04', { token: usdc, recipient: one })]],
    ['universal: wrapped for nobody', 'universalRouter', [wrap]],
    ['universal: wrapped, part of it traded', 'universalRouter', [wrap, onward(4n)]],
    ['universal: wrapped, two parts of it traded', 'universalRouter', [wrap, onward(2n), onward(2n)]],
    ['universal: wrapped beside what a trade left', 'universalRouter', [wrap, routed(two), onward(3n), onward(2n)]],
    ['universal: an exact output kept', 'universalRouter', [routedOut('router 01', back)]],
    [
      'universal: what it is paid with, unwrapped',
      'universalRouter',
      [routedOut('router 01', path), part('router 0c', { recipient: wallet })],
    ],
    [
      'universal: wrapped for an exact output, the rest left',
      'universalRouter',
      [wrap, routedOut('router 09', [weth, usdc], wallet)],
    ],
    ['universal: unwrapped for nobody', 'universalRouter', [part('router 0c', { recipient: two })]],
    ['universal: traded, unwrapped, and not swept', 'universalRouter', [routed(two), unwrapInside]],
    [
      'universal: unwrapped before it is there',
      'universalRouter',
      [unwrapInside, routed(two), sweepRouted(zeroAddress)],
    ],
    ['universal: native currency wrapped in part', 'universalRouter', [takenNative, wrap, onward(2n ** 255n)]],
    ['universal: wrapped before it is there', 'universalRouter', [wrapAll, takenNative, onward(2n ** 255n)]],
    ['universal: all wrapped, and kept', 'universalRouter', [takenNative, wrapAll]],
    ['universal: drawn in, and kept', 'universalRouter', [drawnIn(two)]],
    ['universal: drawn in, unwrapped, and kept', 'universalRouter', [drawnIn(two), unwrapInside]],
    ['universal: drawn in by address', 'universalRouter', [drawnIn(target)]],
    ['universal: drawn in, another token unwrapped', 'universalRouter', [drawnIn(two, usdc), unwrapInside, paidNative]],
    ['universal: drawn in after it was unwrapped', 'universalRouter', [unwrapInside, paidNative, drawnIn(two)]],
    ['universal: another token unwrapped', 'universalRouter', [onwardTo(two), unwrapInside, sweepRouted(zeroAddress)]],
  ])('%s', (_what, surface, parts) => {
    expect(recipients(surface, ...parts)).toContain(target)
  })

  it.each<readonly [string, Surface, readonly CalldataPart[]]>([
    ['v3: both paid out', 'v3PositionManager', [collect(zeroAddress), unwrap(), sweep(usdc)]],
    [
      'v4: both of a pair paid out',
      'v4PositionManager',
      [part('v4 11', { currency0: usdc, currency1: weth, recipient: two }), sweepV4(usdc), sweepV4(weth)],
    ],
    ['router02: unwrapped', 'v3SwapRouter02', [part('exactInputSingle', { recipient: two, tokenOut: weth }), unwrap()]],
    [
      'router02: an exact output unwrapped',
      'v3SwapRouter02',
      [part('exactOutput', { recipient: two, path: back }), unwrap()],
    ],
    [
      'universal: unwrapped inside, and swept with what v4 took',
      'universalRouter',
      [routed(two), part('v4 0e', { currency: zeroAddress, recipient: two }), unwrapInside, sweepRouted(zeroAddress)],
    ],
    [
      'v4: swept',
      'v4PositionManager',
      [part('v4 0e', { currency: usdc, recipient: two }), part('v4 14', { currency: usdc, recipient: wallet })],
    ],
    ['v4: as much unwrapped as is owed', 'v4PositionManager', [part('v4 16', { amount: 0n })]],
    ['v4: unwrapped and swept', 'v4PositionManager', [part('v4 16', { amount: 5n }), sweepV4(zeroAddress)]],
    ['universal: unwrapped', 'universalRouter', [routed(two), part('router 0c', { recipient: wallet })]],
    ['universal: swept', 'universalRouter', [routed(two), part('router 04', { token: weth, recipient: wallet })]],
    ['universal: drawn in, unwrapped and traded', 'universalRouter', [drawnIn(two), unwrapInside, paidNative]],
    ['universal: wrapped and traded', 'universalRouter', [wrap, onward(5n)]],
    ['universal: wrapped and traded in two parts', 'universalRouter', [wrap, onward(3n), onward(2n)]],
    [
      'universal: an exact output unwrapped',
      'universalRouter',
      [routedOut('router 01', back), part('router 0c', { recipient: wallet })],
    ],
    [
      'universal: an exact output of pairs swept',
      'universalRouter',
      [routedOut('router 09', [weth, usdc]), part('router 04', { token: usdc, recipient: wallet })],
    ],
    [
      'universal: wrapped for an exact output, the rest given back',
      'universalRouter',
      [wrap, routedOut('router 09', [weth, usdc], wallet), part('router 0c', { recipient: wallet })],
    ],
    ['universal: all traded on', 'universalRouter', [routed(two), onward(2n ** 255n)]],
    ['universal: all wrapped and traded on', 'universalRouter', [takenNative, wrapAll, onward(2n ** 255n)]],
    [
      'universal: all paid into v4',
      'universalRouter',
      [routed(two), part('v4 0b', { currency: weth, amount: 2n ** 255n, payerIsUser: false })],
    ],
  ])('unless the same call pays it out: %s', (_what, surface, parts) => {
    expect(recipients(surface, ...parts)).not.toContain(target)
  })

  it('knows names for caller and contract only where a contract does', () => {
    expect(recipients('v3SwapRouter02', sweep(usdc, one))).toEqual([one])
    expect(recipients('v3SwapRouter02', sweep(usdc, two))).toEqual([two])
    expect(recipients('v3PositionManager', unwrap(zeroAddress))).toEqual([zeroAddress])
    expect(recipients('universalRouter', routed(one))).toEqual([])
    // What is drawn out of the wallet goes to whoever is named.
    expect(recipients('universalRouter', drawnIn(usdc), unwrapInside, paidNative)).toContain(usdc)
  })
})
