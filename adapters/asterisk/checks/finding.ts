import type { SwitchFinding } from '../../../core/ports/switching.ts'

export const SEE_DAEMON = 'systemctl status trunklined, and its log'

export const errorFinding = (code: string, finding: string, fix: string): SwitchFinding => ({
  ...{ code: `asterisk_${code}`, severity: 'error', finding, fix },
})
export const warningFinding = (code: string, finding: string, fix: string): SwitchFinding => ({
  ...errorFinding(code, finding, fix),
  severity: 'warning',
})
