import { approvalMessage, type ApprovalQuestion, type ApprovalReply } from '@svc/engine'
import { isRecord } from '@svc/runtime'

/** The form a person fills in: what would happen, in our own words, and one box that is not ticked. */
export function approvalForm(question: ApprovalQuestion, now: number) {
  return {
    mode: 'form' as const,
    message: approvalMessage(question, now),
    requestedSchema: {
      type: 'object' as const,
      properties: {
        approve: {
          type: 'boolean' as const,
          title: 'Approve exactly this',
          description: 'Yes carries it out now. No denies it. Closing this leaves the decision to the operator.',
        },
      },
      required: ['approve'],
    },
  }
}

/**
 * What a person answered. Only a form sent off with the box ticked is a yes; sent off without, or declined, it is a no.
 * Anything else, malformed answers among it, is no answer.
 */
export function readReply(answer: unknown): ApprovalReply {
  if (!isRecord(answer)) return 'cancelled'
  if (answer['action'] === 'decline') return 'declined'
  if (answer['action'] !== 'accept' || !isRecord(answer['content'])) return 'cancelled'
  const { approve } = answer['content']
  if (typeof approve !== 'boolean') return 'cancelled'
  return approve ? 'accepted' : 'declined'
}
