import * as z from 'zod'

/**
 * The shape of what the managed wallet's provider (Privy) takes: a policy (version 1.0, chain type `ethereum`) and the
 * aggregations its rules refer to. Held against every compiled policy in tests. An aggregation gets its id when it is
 * created; until then rules name it `aggregation.<its name>`.
 */
export const providerPolicySchema = z.strictObject({
  aggregations: z.array(
    z.strictObject({
      name: z.string().min(1).max(50),
      method: z.enum(['eth_signTransaction', 'eth_signUserOperation']),
      metric: z.strictObject({ field: z.string(), field_source: z.string(), function: z.literal('sum') }),
      window: z.strictObject({ type: z.literal('rolling'), seconds: z.int().min(3_600).max(259_200) }),
      conditions: z.array(condition()).optional(),
      group_by: z
        .array(z.strictObject({ field: z.string(), field_source: z.string() }))
        .max(2)
        .optional(),
    }),
  ),
  policy: z.strictObject({
    version: z.literal('1.0'),
    name: z.string().min(1).max(50),
    chain_type: z.literal('ethereum'),
    rules: z.array(
      z.strictObject({
        name: z.string().min(1).max(50),
        method: z.enum([
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
        ]),
        action: z.enum(['ALLOW', 'DENY']),
        conditions: z.array(condition()),
      }),
    ),
  }),
})

export type ProviderPolicy = z.output<typeof providerPolicySchema>
export type ProviderRule = ProviderPolicy['policy']['rules'][number]
export type ProviderCondition = z.output<ReturnType<typeof condition>>

function condition() {
  const compared = {
    operator: z.enum([
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
    ]),
    value: z.union([z.string(), z.array(z.string()).min(1)]),
  }
  return z.discriminatedUnion('field_source', [
    z.strictObject({
      field_source: z.literal('ethereum_transaction'),
      field: z.enum(['to', 'value', 'chain_id']),
      ...compared,
    }),
    z.strictObject({
      field_source: z.literal('ethereum_calldata'),
      field: z.string(),
      abi: z.array(z.looseObject({ type: z.enum(['function', 'constructor', 'event', 'fallback', 'receive']) })),
      ...compared,
    }),
    z.strictObject({
      field_source: z.literal('ethereum_typed_data_domain'),
      field: z.enum(['chainId', 'verifyingContract', 'chain_id', 'verifying_contract']),
      ...compared,
    }),
    z.strictObject({
      field_source: z.literal('ethereum_typed_data_message'),
      field: z.string(),
      typed_data: z.strictObject({
        primary_type: z.string(),
        types: z.record(z.string(), z.array(z.strictObject({ name: z.string(), type: z.string() }))),
      }),
      ...compared,
    }),
    z.strictObject({ field_source: z.literal('reference'), field: z.string().regex(/^aggregation\./), ...compared }),
  ])
}
