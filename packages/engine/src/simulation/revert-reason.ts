import {
  type Address,
  BaseError,
  decodeErrorResult,
  type Hex,
  parseAbi,
  type PublicClient,
  type TransactionReceipt,
} from 'viem'
import type { Step } from '../call/step.ts'

/**
 * Says in our own words why a call reverted: text of `Error(string)` capped and escaped, the meaning of a panic code, the
 * name of a known custom error, else the bare selector. The text comes from a stranger's contract and is quoted as such.
 */
export function revertReason(data: Hex | undefined): string {
  if (data === undefined || data.length < 10) return 'reverted without a reason'
  const known = decode(data)
  if (known === null) return `reverted with the unknown error ${data.slice(0, 10)}`
  const [argument] = known.args
  if (known.name === 'CallFailed') return `failed at its call ${String(argument)}, which ${innerReason(known.args[1])}`
  if (known.name === 'Error') return `reverted with the text ${quote(String(argument))}`
  if (known.name === 'Panic') return `panicked: ${panics.get(Number(argument)) ?? `code ${String(argument)}`}`
  if (known.name === 'WrappedError' || known.name === 'ExecutionFailed') {
    const inner = known.args.findLast(
      (value): value is Hex => typeof value === 'string' && /^0x[0-9a-f]{8,}$/i.test(value),
    )
    const isDeep = inner !== undefined && inner.length < data.length
    return isDeep ? `${known.name}: ${revertReason(inner)}` : `reverted with ${known.name}`
  }
  return `reverted with ${known.name}`
}

/**
 * Whether a reason of `revertReason` says that the pool gave less, or asked for more, than the call's slippage allows: the
 * price moved since the call was planned, or the token keeps a part of each transfer.
 */
export function isPastSlippage(reason: string): boolean {
  return pastSlippage.test(reason)
}

/**
 * Why a mined transaction reverted, found by playing its call again on the state before its block. That is not quite the
 * state it met (others stood before it in the block), so the answer is the likely reason, and may be that there is none.
 */
export async function minedRevertReason(
  { client, wallet }: { readonly client: PublicClient; readonly wallet: Address },
  step: Pick<Step, 'to' | 'data' | 'valueWei'>,
  receipt: Pick<TransactionReceipt, 'blockNumber'>,
): Promise<string> {
  try {
    await client.call({
      account: wallet,
      to: step.to,
      data: step.data,
      value: step.valueWei,
      blockNumber: receipt.blockNumber - 1n,
    })
    return 'reverted; the same call succeeds on the state before its block'
  } catch (error) {
    return revertReason(revertDataOf(error))
  }
}

/** As v2's and v3's routers, v4's router, and the position managers say it. */
const pastSlippage =
  /\b(Too little received|Too much requested|V[234]TooLittleReceived|V[234]TooMuchRequested|Price slippage check|INSUFFICIENT_(OUTPUT|A|B)_AMOUNT|EXCESSIVE_INPUT_AMOUNT|MinimumAmountInsufficient|MaximumAmountExceeded)\b/

/** Errors of the AMM's contracts, of Permit2 and of common tokens. */
const errors = parseAbi([
  // batch delegate
  'error CallFailed(uint256 index, bytes reason)',
  'error CallToItself(uint256 index)',
  'error NotTheAccount()',
  'error Error(string reason)',
  'error Panic(uint256 code)',
  // Permit2
  'error AllowanceExpired(uint256 deadline)',
  'error ExcessiveInvalidation()',
  'error InsufficientAllowance(uint256 amount)',
  'error InvalidNonce()',
  'error SignatureExpired(uint256 signatureDeadline)',
  // universal router
  'error ExecutionFailed(uint256 commandIndex, bytes message)',
  'error TransactionDeadlinePassed()',
  'error InvalidCommandType(uint256 commandType)',
  'error V2TooLittleReceived()',
  'error V2TooMuchRequested()',
  'error V2InvalidPath()',
  'error V3TooLittleReceived()',
  'error V3TooMuchRequested()',
  'error V3InvalidSwap()',
  'error V4TooLittleReceived(uint256 minAmountOutReceived, uint256 amountReceived)',
  'error V4TooMuchRequested(uint256 maxAmountInRequested, uint256 amountRequested)',
  'error InsufficientETH()',
  'error InsufficientToken()',
  'error InsufficientBalance()',
  // v4 core
  'error AlreadyUnlocked()',
  'error CurrencyNotSettled()',
  'error PoolNotInitialized()',
  'error PoolAlreadyInitialized()',
  'error ManagerLocked()',
  'error SwapAmountCannotBeZero()',
  'error NonzeroNativeValue()',
  'error MustClearExactPositiveDelta()',
  'error TickSpacingTooLarge(int24 tickSpacing)',
  'error TickSpacingTooSmall(int24 tickSpacing)',
  'error CurrenciesOutOfOrderOrEqual(address currency0, address currency1)',
  'error TicksMisordered(int24 tickLower, int24 tickUpper)',
  'error TickLowerOutOfBounds(int24 tickLower)',
  'error TickUpperOutOfBounds(int24 tickUpper)',
  'error TickLiquidityOverflow(int24 tick)',
  'error TickMisaligned(int24 tick, int24 tickSpacing)',
  'error CannotUpdateEmptyPosition()',
  'error PriceLimitAlreadyExceeded(uint160 sqrtPriceCurrentX96, uint160 sqrtPriceLimitX96)',
  'error PriceLimitOutOfBounds(uint160 sqrtPriceLimitX96)',
  'error InvalidSqrtPrice(uint160 sqrtPriceX96)',
  'error InvalidTick(int24 tick)',
  'error InvalidPriceOrLiquidity()',
  'error InvalidPrice()',
  'error NotEnoughLiquidity()',
  'error PriceOverflow()',
  'error SafeCastOverflow()',
  'error LPFeeTooLarge(uint24 fee)',
  'error HookAddressNotValid(address hooks)',
  'error HookCallFailed()',
  'error InvalidHookResponse()',
  'error HookDeltaExceedsSwapAmount()',
  'error WrappedError(address target, bytes4 selector, bytes reason, bytes details)',
  // v4 periphery
  'error NotApproved(address caller)',
  'error DeadlinePassed(uint256 deadline)',
  'error PoolManagerMustBeLocked()',
  'error MaximumAmountExceeded(uint128 maximumAmount, uint128 amountRequested)',
  'error MinimumAmountInsufficient(uint128 minimumAmount, uint128 amountReceived)',
  'error DeltaNotPositive(address currency)',
  'error DeltaNotNegative(address currency)',
  'error InputLengthMismatch()',
  'error UnsupportedAction(uint256 action)',
  'error InvalidEthSender()',
  // tokens
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidSpender(address spender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC721NonexistentToken(uint256 tokenId)',
  'error ERC721InsufficientApproval(address operator, uint256 tokenId)',
  'error SafeERC20FailedOperation(address token)',
  'error EnforcedPause()',
  'error ReentrancyGuardReentrantCall()',
  // vaults
  'error ERC4626ExceededMaxDeposit(address receiver, uint256 assets, uint256 max)',
  'error ERC4626ExceededMaxMint(address receiver, uint256 shares, uint256 max)',
  'error ERC4626ExceededMaxRedeem(address owner, uint256 shares, uint256 max)',
  'error ERC4626ExceededMaxWithdraw(address owner, uint256 assets, uint256 max)',
])

/** Of a call inside a batch; the delegate makes no batch inside a batch. */
function innerReason(reason: unknown): string {
  return revertReason(typeof reason === 'string' && reason.startsWith('0x') ? (reason as Hex) : undefined)
}

/** Solidity's panic codes. */
const panics = new Map([
  [0x01, 'an assertion failed'],
  [0x11, 'arithmetic overflow'],
  [0x12, 'division by zero'],
  [0x21, 'a value outside its enumeration'],
  [0x31, 'pop of an empty array'],
  [0x32, 'an index out of range'],
  [0x41, 'too much memory'],
  [0x51, 'a call of an uninitialised function'],
])

/** In hexadecimal digits. Reasons are shorter, and one of a stranger that wraps another a thousand times takes minutes to read. */
const longestData = 8_192

function decode(data: Hex): { readonly name: string; readonly args: readonly unknown[] } | null {
  if (data.length > longestData) return null
  try {
    const { errorName, args } = decodeErrorResult({ abi: errors, data })
    return { name: errorName, args: args ?? [] }
  } catch {
    return null
  }
}

/** Printable ASCII only, at most 64 characters. */
function quote(text: string): string {
  const capped = text.length > 64 ? `${text.slice(0, 64)}...` : text
  return JSON.stringify(capped).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function revertDataOf(error: unknown): Hex | undefined {
  if (!(error instanceof BaseError)) return undefined
  const carrier = error.walk((cause) => typeof cause === 'object' && cause !== null && 'data' in cause)
  const data = carrier !== null && 'data' in carrier ? carrier.data : undefined
  return typeof data === 'string' && data.startsWith('0x') ? (data as Hex) : undefined
}
