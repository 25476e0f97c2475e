/** Keeps the list fresh and sends decisions. Whatever it shows was rendered, and escaped, by the server. */
export const pageJs = `
'use strict'
const list = document.getElementById('list')
const said = document.getElementById('said')
let known = list.innerHTML
let busy = false
let decisions = 0

function dress() {
  for (const button of list.querySelectorAll('button')) button.hidden = false
}

function countdown() {
  for (const time of list.querySelectorAll('time[data-until]')) {
    const seconds = Math.floor((Number(time.dataset.until) - Date.now()) / 1000)
    const minutes = Math.floor(seconds / 60)
    time.textContent = seconds < 0 ? 'over' : minutes >= 60 ? Math.floor(minutes / 60) + ' h ' + (minutes % 60) + ' min'
      : minutes > 0 ? minutes + ' min ' + (seconds % 60) + ' s' : seconds + ' s'
  }
}

function keyOf(element) {
  return element && element.dataset.word ? element.dataset.word + ' ' + element.dataset.id : null
}

// A list that was asked for before a decision still holds the buttons of it, and would have a person asked a second time.
async function refresh() {
  const before = decisions
  const answer = await fetch('/list', { headers: { accept: 'text/html' } })
  if (answer.status === 401) return void (said.textContent = 'This page has ended. Start it again with svc approvals page.')
  const fresh = await answer.text()
  if (!answer.ok || busy || before !== decisions || plain(fresh) === plain(known)) return
  const open = new Set([...list.querySelectorAll('details[open]')].map((element) => element.dataset.key))
  const focused = keyOf(document.activeElement)
  known = fresh
  list.innerHTML = fresh
  for (const element of list.querySelectorAll('details')) element.open = open.has(element.dataset.key)
  dress()
  for (const button of list.querySelectorAll('button')) if (keyOf(button) === focused) button.focus()
}

function plain(markup) {
  return markup.replace(/<time[^]*?<\\/time>/g, '').replace(/, [\\d a-z]+ left/g, '')
}

list.addEventListener('click', async (event) => {
  const button = event.target.closest('button[data-word]')
  if (button === null) return
  const { word, id, hash, question } = button.dataset
  if (word === 'approve' && !confirm(question)) return
  if (word === 'cancel' && !confirm('Cancel this? It is not carried out any more.')) return
  busy = true
  button.disabled = true
  try {
    const answer = await fetch(word === 'cancel' ? '/cancel' : '/decide', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(word === 'cancel' ? { id } : { id, planHash: hash, approved: word === 'approve' }),
    })
    const { message } = await answer.json()
    said.textContent = message
  } catch {
    said.textContent = 'The page does not answer. Nothing is known of the decision; look at the list again.'
  }
  busy = false
  decisions += 1
  known = ''
  await refresh().catch(() => {})
})

dress()
setInterval(countdown, 1000)
setInterval(() => void refresh().catch(() => {}), 2000)
`
