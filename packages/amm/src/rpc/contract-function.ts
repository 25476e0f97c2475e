import {
  type Abi,
  type AbiParameter,
  type AbiStateMutability,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  isAddress,
  prepareEncodeFunctionData,
} from 'viem'

/**
 * Prepares reads of one function once and for all, with the first of them: its selector is hashed then, and neither with every read
 * nor where a start only loads what may be read later. For functions that are read many times in one call.
 */
export function contractFunction<const TAbi extends Abi, TName extends ContractFunctionName<TAbi>>(
  abi: TAbi,
  functionName: TName,
): ContractFunction<TAbi, TName> {
  let made: ReturnType<typeof prepare> | undefined
  return (to, args) => {
    const { encode, decode } = (made ??= prepare({ abi, functionName }))
    return { to, data: encode(args as readonly unknown[]), decode: (data) => decode(data) as never }
  }
}

function prepare(call: { readonly abi: Abi; readonly functionName: string }) {
  const prepared: { abi: Abi; functionName: Hex } = prepareEncodeFunctionData(call)
  const [item] = prepared.abi
  const words = item?.type === 'function' ? wordsOf(item.inputs) : null
  const encode = (args: readonly unknown[]): Hex => {
    const encoded = words === null ? undefined : encodeWords(words, args)
    return encoded === undefined ? encodeFunctionData({ ...prepared, args }) : `${prepared.functionName}${encoded}`
  }
  const integers = item?.type === 'function' ? integersOf(item.outputs) : null
  const decode = (data: Hex): unknown =>
    (integers !== null ? decodeIntegers(integers, data) : undefined) ??
    decodeFunctionResult({ abi: prepared.abi, functionName: call.functionName, data })
  return { encode, decode }
}

/** Reads the function at an address. */
export type ContractFunction<TAbi extends Abi, TName extends ContractFunctionName<TAbi>> = <
  const TArgs extends ContractFunctionArgs<TAbi, AbiStateMutability, TName>,
>(
  to: Address,
  args: TArgs,
) => ContractRead<ContractFunctionReturnType<TAbi, AbiStateMutability, TName, TArgs>>

/** One call of a contract that is to be read: where to, with what, and how to read its answer. */
export type ContractRead<Result> = {
  readonly to: Address
  readonly data: Hex
  /** Throws on bytes that are no such answer. */
  decode(answer: Hex): Result
}

/** Prepares a read of any function of an ABI; functions that are not `view` (quoters) are simulated all the same. */
export function contractRead<
  const TAbi extends Abi,
  TName extends ContractFunctionName<TAbi>,
  const TArgs extends ContractFunctionArgs<TAbi, AbiStateMutability, TName>,
>(
  to: Address,
  abi: TAbi,
  functionName: TName,
  args: TArgs,
): ContractRead<ContractFunctionReturnType<TAbi, AbiStateMutability, TName, TArgs>> {
  return contractFunction(abi, functionName)(to, args)
}

/** An output, or an input, that is an integer or a list of them; an output that is a truth value is one of one bit. */
type Integers = { readonly bits: number; readonly isSigned: boolean; readonly isList: boolean }

/** `null` where one of them is anything else, or there is none. */
function integersOf(outputs: readonly AbiParameter[]): readonly Integers[] | null {
  const found = outputs.flatMap(({ type }): readonly Integers[] => {
    if (type === 'bool') return [{ bits: 1, isSigned: false, isList: false }]
    const [, unsigned, bits, list] = /^(u?)int(\d{1,3})(\[\])?$/.exec(type) ?? []
    return bits === undefined ? [] : [{ bits: Number(bits), isSigned: unsigned === '', isList: list !== undefined }]
  })
  return found.length === outputs.length && found.length > 0 ? found : null
}

/** An input that is a word, or a list of integers. */
type Word = Integers | { readonly isList: false; readonly form: RegExp; readonly isAddress: boolean }

/** `null` where one of the inputs is anything else. */
function wordsOf(inputs: readonly AbiParameter[]): readonly Word[] | null {
  const found = inputs.flatMap((input): readonly Word[] => {
    if (input.type === 'address') return [{ isList: false, form: /^0x[0-9a-f]{40}$/i, isAddress: true }]
    if (input.type === 'bool') return []
    if (input.type === 'bytes32') return [{ isList: false, form: /^0x[0-9a-f]{64}$/i, isAddress: false }]
    return integersOf([input]) ?? []
  })
  return found.length === inputs.length ? found : null
}

/**
 * Arguments as the general encoder lays them out, for what a price rests on is asked with dozens of seconds at a time. `undefined` for
 * arguments that do not fit, about which that one has its own words.
 */
function encodeWords(inputs: readonly Word[], args: readonly unknown[]): string | undefined {
  if (args.length !== inputs.length) return undefined
  const lists: (string | undefined)[] = []
  const heads = inputs.map((input, index) => {
    const value = args[index]
    if (!input.isList) return wordOf(input, value)
    if (!Array.isArray(value)) return undefined
    const at = wordOf(offset, (inputs.length + lists.length) * (wordDigits / 2))
    lists.push(wordOf(offset, value.length), ...value.map((one) => wordOf(input, one)))
    return at
  })
  const words = [...heads, ...lists]
  return words.includes(undefined) ? undefined : words.join('')
}

function wordOf(input: Word, value: unknown): string | undefined {
  if ('form' in input) {
    if (typeof value !== 'string' || !input.form.test(value)) return undefined
    if (!input.isAddress) return value.slice(2)
    return isAddress(value) ? value.slice(2).toLowerCase().padStart(wordDigits, '0') : undefined
  }
  const { bits, isSigned } = input
  const integer = typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof integer !== 'bigint') return undefined
  if ((isSigned ? BigInt.asIntN(bits, integer) : BigInt.asUintN(bits, integer)) !== integer) return undefined
  return BigInt.asUintN(256, integer).toString(16).padStart(wordDigits, '0')
}

/**
 * Integers and lists of them, laid out as contracts lay them out: the lists one after the other behind the words. What a price rests on
 * is mostly that, a hundred of them, and the general decoder takes some microseconds for each. What it gives is what that one gives;
 * `undefined` for bytes laid out in any other way, which are left to it.
 */
function decodeIntegers(outputs: readonly Integers[], data: Hex): unknown {
  const text = data.slice(2)
  let end = outputs.length * wordDigits
  if (text.length < end || noDigit.test(text)) return undefined
  const values: unknown[] = []
  for (const [index, output] of outputs.entries()) {
    const at = index * wordDigits
    if (!output.isList) {
      values.push(integerAt(text, at, output))
      continue
    }
    if (integerAt(text, at, offset) !== end / 2) return undefined
    const count = integerAt(text, end, offset)
    const first = end + wordDigits
    if (typeof count !== 'number' || count > (text.length - first) / wordDigits) return undefined
    values.push(Array.from({ length: count }, (_, nth) => integerAt(text, first + nth * wordDigits, output)))
    end = first + count * wordDigits
  }
  if (text.length !== end || values.flat().includes(undefined)) return undefined
  return values.length === 1 ? values[0] : values
}

const wordDigits = 64
const noDigit = /[^0-9a-f]/i
const offset: Integers = { bits: 32, isSigned: false, isList: false }

/** Up to 48 bits a number, above a bigint; `undefined` where there is no word, or a number that is not exact, or no truth value. */
function integerAt(text: string, at: number, { bits, isSigned }: Integers): bigint | number | boolean | undefined {
  if (at + wordDigits > text.length) return undefined
  const word = BigInt(`0x${text.slice(at, at + wordDigits)}`)
  if (bits === 1) return word > 1n ? undefined : word === 1n
  const value = isSigned ? BigInt.asIntN(256, word) : word
  if (bits > 48) return value
  return Number.isSafeInteger(Number(value)) ? Number(value) : undefined
}
