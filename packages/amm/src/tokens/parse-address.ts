import { getAddress, isAddress, type Address } from 'viem'
import { ToolError } from '../tool-error.ts'

/**
 * An address with its EIP-55 checksum. Mixed case must bear a right checksum, all lower case is taken as it is; anything
 * else (look-alikes, blanks, upper case throughout, a missing digit) is refused, never repaired.
 *
 * @throws ToolError `VALIDATION_FAILED` naming `field`
 */
export function parseAddress(text: string, field: string): Address {
  const lowerCase = /^0x[0-9a-f]{40}$/.test(text)
  if (lowerCase || (/^0x[0-9A-Fa-f]{40}$/.test(text) && isAddress(text, { strict: true }))) return getAddress(text)
  throw new ToolError('VALIDATION_FAILED', `${field} is not a valid address.`, {
    details: [
      {
        field,
        message: /^0x[0-9A-Fa-f]{40}$/.test(text) ? 'the checksum is wrong' : 'not an address',
        accepted: '0x and 40 hexadecimal digits, with the EIP-55 checksum or in lower case',
      },
    ],
  })
}
