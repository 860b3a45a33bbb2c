/**
 * The kernel's error numbers, as far as a modelled path returns them. Kernel-visible functions
 * return 0 or one of these negated, and never throw for what a program may do wrong.
 * Source: include/uapi/asm-generic/errno-base.h, errno.h.
 */
export const EPERM: number = 1;
export const ENOENT: number = 2;
export const ESRCH: number = 3;
export const EINTR: number = 4;
export const EIO: number = 5;
export const EBADF: number = 9;
export const EAGAIN: number = 11;
export const ENOMEM: number = 12;
export const EACCES: number = 13;
export const EFAULT: number = 14;
export const EBUSY: number = 16;
export const EEXIST: number = 17;
export const ENODEV: number = 19;
export const EINVAL: number = 22;
export const ENOSYS: number = 38;
export const EOPNOTSUPP: number = 95;

const NAMES: ReadonlyMap<number, string> = new Map([
  [EPERM, "EPERM"],
  [ENOENT, "ENOENT"],
  [ESRCH, "ESRCH"],
  [EINTR, "EINTR"],
  [EIO, "EIO"],
  [EBADF, "EBADF"],
  [EAGAIN, "EAGAIN"],
  [ENOMEM, "ENOMEM"],
  [EACCES, "EACCES"],
  [EFAULT, "EFAULT"],
  [EBUSY, "EBUSY"],
  [EEXIST, "EEXIST"],
  [ENODEV, "ENODEV"],
  [EINVAL, "EINVAL"],
  [ENOSYS, "ENOSYS"],
  [EOPNOTSUPP, "EOPNOTSUPP"],
]);

/**
 * Name of an error number.
 * @param errno the number, positive
 * @throws RangeError for a number that no modelled path returns
 */
export function errnoName(errno: number): string {
  const name = NAMES.get(errno);
  if (name === undefined) throw new RangeError(`unknown errno ${errno}`);
  return name;
}
