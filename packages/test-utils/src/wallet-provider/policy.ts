import { asList, asObject, asText, asTexts, invalid, oneOf, onlyKnown, type Fields } from './faults.ts'

/** Reads a policy of version 1.0 off the body of a request. Throws `ProviderError` 400 naming the field. */
export function readPolicy(body: unknown): PolicyDocument {
  const fields = asObject(body, 'policy')
  onlyKnown(fields, ['version', 'name', 'chain_type', 'rules', 'owner', 'owner_id'], 'policy')
  oneOf(fields['version'], ['1.0'], 'version')
  oneOf(fields['chain_type'], ['ethereum'], 'chain_type')
  return {
    version: '1.0',
    chain_type: 'ethereum',
    name: asName(fields['name'], 'name'),
    rules: asList(fields['rules'], 'rules').map((rule, index) => readRule(rule, `rules.${index}`)),
  }
}

/** Reads an aggregation: what is summed over which rolling window. Throws `ProviderError` 400 naming the field. */
export function readAggregation(body: unknown): AggregationDocument {
  const fields = asObject(body, 'aggregation')
  onlyKnown(fields, ['name', 'method', 'metric', 'window', 'conditions', 'group_by'], 'aggregation')
  const metric = asObject(fields['metric'], 'metric')
  const window = asObject(fields['window'], 'window')
  oneOf(metric['function'], ['sum'], 'metric.function')
  oneOf(window['type'], ['rolling'], 'window.type')
  const seconds = window['seconds']
  if (typeof seconds !== 'number' || seconds < 3_600 || seconds > 259_200) {
    throw invalid('window.seconds', '3600 to 259200')
  }
  const groups = asList(fields['group_by'] ?? [], 'group_by')
  if (groups.length > 2) throw invalid('group_by', 'at most 2 fields')
  const conditions = readConditions(fields['conditions'] ?? [], 'conditions')
  if (conditions.some(({ field_source }) => field_source === 'reference')) throw invalid('conditions', 'no reference')
  return {
    name: asName(fields['name'], 'name'),
    method: oneOf(fields['method'], ['eth_signTransaction', 'eth_signUserOperation'], 'method'),
    metric: readField(metric, 'metric'),
    windowSeconds: seconds,
    conditions,
    groupBy: groups.map((group, index) => readField(asObject(group, `group_by.${index}`), `group_by.${index}`)),
  }
}

export type PolicyDocument = {
  readonly version: '1.0'
  readonly chain_type: 'ethereum'
  readonly name: string
  readonly rules: readonly PolicyRule[]
}

export type PolicyRule = {
  readonly name: string
  readonly method: string
  readonly action: 'ALLOW' | 'DENY'
  readonly conditions: readonly PolicyCondition[]
}

/** Where a value of a request is read from. */
export type PolicyField = {
  readonly field_source: FieldSource
  readonly field: string
  /** Of `ethereum_calldata`. */
  readonly abi?: unknown
  /** Of `ethereum_typed_data_message`. */
  readonly typed_data?: unknown
}

export type PolicyCondition = PolicyField & {
  readonly operator: (typeof operators)[number]
  readonly value: string | readonly string[]
}

export type AggregationDocument = {
  readonly name: string
  readonly method: string
  readonly metric: PolicyField
  readonly windowSeconds: number
  readonly conditions: readonly PolicyCondition[]
  readonly groupBy: readonly PolicyField[]
}

type FieldSource = keyof typeof fieldsBySource

/** `null`: any field; the source itself says which there are. */
const fieldsBySource = {
  ethereum_transaction: ['to', 'value', 'chain_id'],
  ethereum_calldata: null,
  ethereum_typed_data_domain: ['chainId', 'verifyingContract', 'chain_id', 'verifying_contract'],
  ethereum_typed_data_message: null,
  ethereum_7702_authorization: ['contract'],
  system: ['current_unix_timestamp'],
  message: ['content', 'byte_length'],
  reference: null,
} as const satisfies Record<string, readonly string[] | null>

const sources = [
  'ethereum_transaction',
  'ethereum_calldata',
  'ethereum_typed_data_domain',
  'ethereum_typed_data_message',
  'ethereum_7702_authorization',
  'system',
  'message',
  'reference',
] as const satisfies readonly FieldSource[]

const operators = [
  'eq',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'in_condition_set',
  'contains',
  'starts_with',
  'ends_with',
] as const

const methods = [
  'eth_sendTransaction',
  'eth_signTransaction',
  'eth_signUserOperation',
  'eth_signTypedData_v4',
  'personal_sign',
  'eth_sign7702Authorization',
  'wallet_sendCalls',
  'exportPrivateKey',
  'exportSeedPhrase',
  'transfer',
  '*',
] as const

function readRule(value: unknown, where: string): PolicyRule {
  const fields = asObject(value, where)
  onlyKnown(fields, ['name', 'method', 'action', 'conditions'], where)
  return {
    name: asName(fields['name'], `${where}.name`),
    method: oneOf(fields['method'], methods, `${where}.method`),
    action: oneOf(fields['action'], ['ALLOW', 'DENY'], `${where}.action`),
    conditions: readConditions(fields['conditions'], `${where}.conditions`),
  }
}

function readConditions(value: unknown, where: string): readonly PolicyCondition[] {
  return asList(value, where).map((one, index) => {
    const at = `${where}.${index}`
    const fields = asObject(one, at)
    const operator = oneOf(fields['operator'], operators, `${at}.operator`)
    const isList = operator === 'in'
    const wanted = isList ? asTexts(fields['value'], `${at}.value`) : asText(fields['value'], `${at}.value`)
    return Object.assign(readField(fields, at), { operator, value: wanted })
  })
}

function readField(fields: Fields, where: string): PolicyField {
  const source = oneOf(fields['field_source'], sources, `${where}.field_source`)
  const field = asText(fields['field'], `${where}.field`)
  const accepted: readonly string[] | null = fieldsBySource[source]
  if (accepted !== null && !accepted.includes(field)) throw invalid(`${where}.field`, accepted.join(', '))
  if (source === 'ethereum_calldata') {
    return { field_source: source, field, abi: asList(fields['abi'], `${where}.abi`) }
  }
  if (source === 'ethereum_typed_data_message') {
    const typed_data = asObject(fields['typed_data'], `${where}.typed_data`)
    asText(typed_data['primary_type'], `${where}.typed_data.primary_type`)
    asObject(typed_data['types'], `${where}.typed_data.types`)
    return { field_source: source, field, typed_data }
  }
  return { field_source: source, field }
}

function asName(value: unknown, field: string): string {
  const name = asText(value, field)
  if (name.length > 50) throw invalid(field, 'at most 50 characters')
  return name
}
