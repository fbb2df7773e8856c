import type { SwitchFinding } from '../../../core/ports/switching.ts'

export const SEE_DAEMON = 'systemctl status trunklined, and its log'

export const isWrong = (code: string, finding: string, fix: string): SwitchFinding => ({
  ...{ code: `asterisk_${code}`, severity: 'error', finding, fix },
})
export const isOdd = (code: string, finding: string, fix: string): SwitchFinding => ({
  ...isWrong(code, finding, fix),
  severity: 'warning',
})
