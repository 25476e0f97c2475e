import * as z from 'zod'
import { deadlineInput, rangedVersionInput, slippageInput } from './params.ts'

/** What collecting fees is asked for with, beside position and chain: by itself, and inside a batch. */
export const collectParams = { version: rangedVersionInput.default('v3'), deadlineSeconds: deadlineInput }

/** The same for adding them to the liquidity. */
export const compoundParams = {
  version: rangedVersionInput.default('v3'),
  swapToRatio: z.boolean().default(true).describe('false: add what fits'),
  slippageBps: slippageInput,
  deadlineSeconds: deadlineInput,
}
