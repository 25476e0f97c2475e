import { z } from '@hono/zod-openapi'

const text = (least: number, most: number) => z.string().min(least).max(most)

/** The strict AgentCard as the API description shows it. What is accepted is the wallet's `requireAgentCard`. */
export const agentCardSchema = z
  .strictObject({
    name: text(1, 100),
    description: text(1, 2_000),
    domains: z
      .array(
        z.strictObject({
          domain: z
            .string()
            .regex(/^[a-z0-9_]+(\/[a-z0-9_]+){0,4}$/)
            .max(200),
          primary: z.boolean(),
        }),
      )
      .max(16),
    services: z
      .array(z.strictObject({ type: z.enum(['mcp', 'a2a']), url: z.url({ protocol: /^https?$/ }).max(500) }))
      .max(16),
    trust: z.strictObject({ reputation: z.boolean(), cryptoEconomic: z.boolean(), zkml: z.boolean() }),
    metadata: z
      .record(z.string().regex(/^[a-zA-Z0-9:_.-]{1,64}$/), z.string().max(500))
      .openapi({ description: 'At most 32 entries.' }),
  })
  .openapi('AgentCard', {
    description:
      'What an agent says of itself; at most 32 KiB. Texts hold no control characters, addresses no user and password.',
  })
