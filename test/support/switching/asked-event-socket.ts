/** What a switch has. */
export interface Has {
  registrations?: readonly string[]
  channels?: readonly { readonly uuid: string; readonly mark: string }[]
  queues?: readonly string[]
  tiers?: readonly (readonly [string, string])[]
  agents?: readonly string[]
  gateways?: readonly string[]
}

const blocks = (registrations: readonly string[]): string =>
  `\nRegistrations:\n${'='.repeat(97)}\n${registrations.map(user => `Call-ID:    \t1\nUser:       \t${user}\nAgent:      \ta: b\nStatus:     \tRegistered(UDP)(unknown) EXP(2026-11-22 10:58:47) EXPSECS(90)\nIP:         \t192.0.2.7\nPort:       \t5060\n\n`).join('')}Total items returned: ${registrations.length}\n`

const list = (head: string, rows: readonly string[]): string => [head, ...rows, '+OK', ''].join('\n')

/** What a FreeSWITCH that has these answers to a command. */
export function answers(has: Has, command: string): string {
  if (command === 'sofia status profile internal reg') return blocks(has.registrations ?? [])
  if (command === 'show channels as json')
    return JSON.stringify({
      row_count: 0,
      ...(has.channels
        ? {
            rows: has.channels.map(({ uuid, mark }) => ({
              uuid,
              call_uuid: uuid,
              presence_data: mark,
              created_epoch: '1795344770',
            })),
          }
        : {}),
    })
  if (command === 'callcenter_config queue list')
    return list(
      'name|strategy',
      (has.queues ?? []).map(name => `${name}|x`),
    )
  if (command === 'callcenter_config tier list')
    return list(
      'queue|agent',
      (has.tiers ?? []).map(row => row.join('|')),
    )
  if (command === 'callcenter_config agent list')
    return list(
      'name|x',
      (has.agents ?? []).map(name => `${name}|x`),
    )
  if (command === 'sofia profile external gwlist') return has.gateways?.join(' ') ?? '-ERR no reply'
  return command.endsWith('gwlist down') ? '-ERR no reply' : '+OK'
}
