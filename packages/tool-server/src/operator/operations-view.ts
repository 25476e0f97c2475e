import {
  allowanceEnd,
  amountText,
  dollars,
  groupDigits,
  meaningOf,
  nothingArrivesText,
  operationFacts,
  shortAmountText,
  timeLeft,
  tradePriceText,
  type OperationDescription,
  valuesText,
  worthText,
} from '@svc/engine/approvals'
import { moreText, type MoreOperations, type OperationList, questionText } from './read-list.ts'
import { html, type Html } from './html.ts'

/** What waits, comes and is past, as pages ask for it again and again; the buttons of decisions only where one is taken there. */
export function listView({ operations, more }: OperationList, now: number, decides = true): Html {
  const waiting = operations.filter(({ state }) => state === 'awaiting_approval')
  const coming = operations.filter(isComing)
  const others = operations.filter((operation) => operation.state !== 'awaiting_approval' && !isComing(operation))
  const all = more.reduce((sum, { which, count }) => sum + (which === 'awaiting' ? count : 0), waiting.length)
  return html`<h2>${all === 0 ? 'Nothing awaits a decision' : `Awaiting a decision: ${all}`}</h2>
    ${waiting.map((operation) => cardView(operation, now, decides))} ${moreView(more, 'awaiting')}
    ${coming.length === 0 ? null : html`<h2>Approved or scheduled, and not yet carried out</h2>`}
    ${coming.map((operation) => comingView(operation, now, decides))} ${moreView(more, 'coming')}
    ${others.length === 0 ? null : html`<h2>Decided and past</h2>`}
    ${others.map((operation) => pastView(operation, now))} ${moreView(more, 'ended')}`
}

/** What a caller has besides; the commands show all of it. */
function moreView(more: readonly MoreOperations[], which: MoreOperations['which']): readonly Html[] {
  return more
    .filter((one) => one.which === which)
    .map((one) => html`<p class="by">${moreText(one)}: <code>svc approvals list --caller ${one.caller}</code></p>`)
}

function cardView(operation: OperationDescription, now: number, decides: boolean): Html {
  const { id } = operation
  return html`<article aria-labelledby="why-${id}" data-id="${id}">
    <h3 id="why-${id}">${operation.why}</h3>
    ${sumsView(operation, now)}
    ${
      operation.conditions.length === 0
        ? null
        : html`<ul class="asked">
            ${operation.conditions.map((condition) => html`<li>${inDollars(condition)}</li>`)}
          </ul>`
    }
    ${operation.allows.map(allowanceView)} ${operation.deposits.map(depositView)} ${valuesView(operation)}
    ${
      operation.warnings.length === 0
        ? null
        : html`<ul class="warnings">
            ${operation.warnings.map((warning) => html`<li>${warning}</li>`)}
          </ul>`
    }
    <p class="by">
      <code>${operation.tool}</code> on ${operation.chain}, asked by
      <span title="${callerTitle}">${operation.askedBy}</span>
    </p>
    <details data-key="${id}">
      <summary>Everything that would be called</summary>
      <dl class="facts">
        ${operationFacts(operation, now)
          .filter(({ name }) => !['state', 'why', 'plan hash', 'tool', 'caller', 'asked as'].includes(name))
          .map(
            ({ name, lines }) =>
              html`<dt>${name}</dt>
                ${lines.map((line) => html`<dd>${line}</dd>`)}`,
          )}
      </dl>
      <ol>
        ${operation.steps.map(stepView)}
      </ol>
    </details>
    ${decisionView(operation, decides)}
  </article>`
}

/** What moves, what it counts as, and how long there is. */
function sumsView(operation: OperationDescription, now: number): Html {
  const { expiresAt } = operation
  return html`<dl class="sums">
    <div>
      <dt>Leaves at most</dt>
      <dd>${amounts(operation.leavesAtMost, 'up', operation.allows.length === 0 ? 'nothing' : 'nothing by itself')}</dd>
    </div>
    <div>
      <dt>Arrives at least</dt>
      <dd>${amounts(operation.arrivesAtLeast, 'down', nothingArrivesText(operation))}</dd>
    </div>
    ${priceView(tradePriceText(operation))}
    <div>
      <dt>Counts as</dt>
      <dd>
        <strong>${dollars(operation.spendUsd)} USD</strong>
        <small class="why">${countsAs}</small>
      </dd>
    </div>
    <div>
      <dt>Time left</dt>
      <dd>
        ${
          expiresAt === null
            ? 'no end'
            : html`<time datetime="${new Date(expiresAt).toISOString()}" data-until="${expiresAt}"
                >${timeLeft(expiresAt, now)}</time
              >`
        }
      </dd>
    </div>
  </dl>`
}

function decisionView(operation: OperationDescription, decides: boolean): Html {
  const { id, planHash } = operation
  const hash = html`<p class="hash"><span>Plan hash</span> <code>${planHash}</code></p>`
  if (!decides) return hash
  return html`${hash}
    <p class="act">
      <button
        type="button"
        class="approve"
        data-word="approve"
        data-id="${id}"
        data-hash="${planHash}"
        data-question="${questionText(operation)}"
        aria-describedby="why-${id}"
        hidden
      >
        Approve this plan
      </button>
      <button
        type="button"
        class="deny"
        data-word="deny"
        data-id="${id}"
        data-hash="${planHash}"
        aria-describedby="why-${id}"
        hidden
      >
        Deny
      </button>
    </p>`
}

/** What a trade comes to at worst. */
function priceView(price: string | null): Html | null {
  if (price === null) return null
  return html`<div>
    <dt>Price</dt>
    <dd>${price}</dd>
  </div>`
}

/** What the limits are held against is not what leaves. */
const countsAs =
  'of the spending limits: the most that may leave or be allowed, at the upper edge of its price; gas comes on top'

const callerTitle = 'svc audit show names it in each line; the digits of a key begin its SHA-256'

/** A sentence of the policy with its sums as the card writes them. */
function inDollars(sentence: string): string {
  return sentence.replace(/\d+(?:\.\d+)?(?= USD)/g, (sum) => (sum.includes('.') ? dollars(sum) : groupDigits(sum)))
}

function valuesView({ values }: OperationDescription): Html | null {
  const text = valuesText(values)
  return text === null ? null : html`<p>${text}</p>`
}

/** Who may take how much afterwards, and how long. */
function allowanceView({ amount, spender }: OperationDescription['allows'][number]): Html {
  return html`<dl class="sums deposit">
    <div>
      <dt>May be taken afterwards</dt>
      <dd>${amounts([amount], 'up', 'nothing')}</dd>
    </div>
    <div>
      <dt>By</dt>
      <dd>${spender}</dd>
    </div>
    <div>
      <dt>Until</dt>
      <dd>${/[1-9]/.test(amount.amount) ? allowanceEnd : 'what stood before is taken back'}</dd>
    </div>
  </dl>`
}

/** Where a deposit goes, and at which prices. */
function depositView({ into, pool, range, price, split }: OperationDescription['deposits'][number]): Html {
  return html`<dl class="sums deposit">
    <div>
      <dt>Goes into</dt>
      <dd title="${pool}">${into}</dd>
    </div>
    <div>
      <dt>Range</dt>
      <dd>${range}</dd>
    </div>
    <div>
      <dt>Price when planned</dt>
      <dd>${price}</dd>
    </div>
    <div>
      <dt>Value</dt>
      <dd>${split}</dd>
    </div>
  </dl>`
}

function stepView(step: OperationDescription['steps'][number]): Html {
  return html`<li>
    <strong>${step.label}</strong>: ${step.contract} <code>${step.to}</code>
    ${step.value === null ? null : html`<span>with ${step.value}</span>`}
    ${step.calls.map(
      (call) =>
        html`<div class="call">
          <code>${call.function}</code>
          <dl>
            ${call.arguments.map(
              ({ name, value, ...known }) =>
                html`<dt>${name}</dt>
                  <dd><code>${value}</code> ${meaningOf(known).join(', ')}</dd>`,
            )}
          </dl>
        </div>`,
    )}
  </li>`
}

function isComing({ state }: OperationDescription): boolean {
  return state === 'approved' || state === 'scheduled'
}

/** What happens unless somebody stops it. */
function comingView(operation: OperationDescription, now: number, decides: boolean): Html {
  const { id, planHash, executeAfter } = operation
  return html`<article class="past" aria-labelledby="why-${id}" data-id="${id}">
    <h3 id="why-${id}">${operation.why}</h3>
    <p>
      <span class="state">${stateOf(operation, now)}</span
      >${executeAfter === null ? null : html`, not before ${new Date(executeAfter).toISOString()}`},
      ${dollars(operation.spendUsd)} USD, <code>${operation.tool}</code>
    </p>
    ${
      decides
        ? html`<p class="act">
            <button
              type="button"
              class="cancel"
              data-word="cancel"
              data-id="${id}"
              data-hash="${planHash}"
              aria-describedby="why-${id}"
              hidden
            >
              Cancel
            </button>
          </p>`
        : null
    }
  </article>`
}

function pastView(operation: OperationDescription, now: number): Html {
  return html`<article class="past">
    <h3>${operation.why}</h3>
    <p>
      <span class="state">${stateOf(operation, now)}</span>, ${dollars(operation.spendUsd)} USD,
      <code>${operation.tool}</code>
    </p>
  </article>`
}

function stateOf(operation: OperationDescription, now: number): string {
  const fact = operationFacts(operation, now).find(({ name }) => name === 'state')
  return fact?.lines.join(' ') ?? ''
}

/** To six digits; the whole of them, with the token's address, is reported on hovering and in the details. */
function amounts(list: OperationDescription['leavesAtMost'], rounding: 'up' | 'down', none: string): Html {
  if (list.length === 0) return html`${none}`
  return html`${list.map(
    (amount) =>
      html`<span class="amount" title="${amountText(amount)}, token ${amount.token}"
          >${shortAmountText(amount, rounding)}</span
        ><small>${worthText(amount.usd, rounding)}</small>`,
  )}`
}
