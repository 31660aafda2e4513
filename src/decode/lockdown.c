/* lockdown.c - the rights that the decoder gives up before it decodes anything. */
#define _GNU_SOURCE
#include "decode/lockdown.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef WSI_HAVE_SECCOMP
#include <seccomp.h>
#endif

/* Sanitizers map terabytes that they do not use. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* For what the libraries keep beside the values they unpack. */
#define SPARE_MEMORY ((rlim_t)48 << 20)

/* ---- Its parent ---------------------------------------------------------------------- */

static pid_t parent_process;

/* The signal comes when the thread that started us ends, too: that is no reason.  It is the one
 * that a stopped process gets. */
static void
look_at_parent(int signal)
{
	(void)signal;
	if (getppid() != parent_process)
		_exit(0);
}

bool
wsi_die_with(pid_t parent)
{
	/* Those of a terminal are for the parent, which may have more to do than die. */
	static const int not_ours[] = { SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE, SIGTSTP };
	for (size_t i = 0; i < sizeof not_ours / sizeof *not_ours; ++i)
		signal(not_ours[i], SIG_IGN);
	parent_process = parent;
	struct sigaction act = { .sa_handler = look_at_parent, .sa_flags = SA_RESTART };
	sigemptyset(&act.sa_mask);
	if (sigaction(SIGCONT, &act, NULL) != 0 || prctl(PR_SET_PDEATHSIG, SIGCONT) != 0)
		return false;
	return getppid() == parent;
}

/* ---- Limits -------------------------------------------------------------------------- */

/* Bytes of address space that are taken already. */
static rlim_t
address_space(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");
	if (f && fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	const long size = sysconf(_SC_PAGESIZE);
	return pages ? (rlim_t)pages * (rlim_t)size : (rlim_t)256 << 20;
}

static bool
set_limit(int what, rlim_t most)
{
	struct rlimit now;
	if (getrlimit(what, &now) != 0)
		return false;
	const rlim_t limit = now.rlim_max < most ? now.rlim_max : most;
	return setrlimit(what, &(struct rlimit){ limit, limit }) == 0;
}

static bool
set_limits(size_t memory)
{
	const rlim_t most = address_space() + SPARE_MEMORY + (rlim_t)memory;
	return set_limit(RLIMIT_CORE, 0) && set_limit(RLIMIT_FSIZE, 0)
	       && set_limit(RLIMIT_NOFILE, 32) && (SANITIZED || set_limit(RLIMIT_AS, most));
}

/* ---- Landlock ------------------------------------------------------------------------ */

/* Rights by the version of Landlock that knows them. */
static uint64_t
known_rights(long version)
{
	uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1; /* version 1: bits 0 to 12 */
	if (version >= 2)
		rights |= 1ull << 13; /* refer */
	if (version >= 3)
		rights |= 1ull << 14; /* truncate */
	if (version >= 5)
		rights |= 1ull << 15; /* ioctl of devices */
	return rights;
}

/* No file but this one. */
static bool
close_files(int file)
{
	const long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
	                             LANDLOCK_CREATE_RULESET_VERSION);
	if (version < 1)
		return errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM;
	const struct landlock_ruleset_attr handled = {
		.handled_access_fs = known_rights(version) };
	const struct landlock_path_beneath_attr ours = {
		.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE, .parent_fd = file };
	const long rules = syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
	if (rules < 0)
		return false;
	const bool closed = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH,
	                            &ours, 0) == 0
	                    && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
	close((int)rules);
	return closed;
}

/* ---- seccomp ------------------------------------------------------------------------- */

#ifdef WSI_HAVE_SECCOMP

/* What libc, HDF5, zlib and libsndfile call to read a file and to compute. */
static const int calls[] = {
	SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(preadv), SCMP_SYS(lseek),
	SCMP_SYS(_llseek), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(recvfrom),
	SCMP_SYS(sendto), SCMP_SYS(recvmsg), SCMP_SYS(sendmsg), SCMP_SYS(poll), SCMP_SYS(ppoll),
	SCMP_SYS(close), SCMP_SYS(dup), SCMP_SYS(fcntl), SCMP_SYS(fcntl64), SCMP_SYS(flock),
	SCMP_SYS(stat), SCMP_SYS(stat64), SCMP_SYS(fstat), SCMP_SYS(fstat64), SCMP_SYS(lstat),
	SCMP_SYS(lstat64), SCMP_SYS(newfstatat), SCMP_SYS(fstatat64), SCMP_SYS(statx),
	SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink),
	SCMP_SYS(readlinkat), SCMP_SYS(getcwd), SCMP_SYS(munmap), SCMP_SYS(mremap),
	SCMP_SYS(madvise), SCMP_SYS(brk), SCMP_SYS(futex), SCMP_SYS(sched_yield),
	SCMP_SYS(sched_getaffinity), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn), SCMP_SYS(sigreturn), SCMP_SYS(sigaltstack),
	SCMP_SYS(restart_syscall), SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(gettid),
	SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid),
	SCMP_SYS(getrlimit), SCMP_SYS(ugetrlimit), SCMP_SYS(sysinfo), SCMP_SYS(uname),
	SCMP_SYS(time), SCMP_SYS(gettimeofday), SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_gettime64), SCMP_SYS(clock_getres), SCMP_SYS(getrandom),
	SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(exit), SCMP_SYS(exit_group),
};

static bool
allow_calls(scmp_filter_ctx filter)
{
	const pid_t self = getpid();
	int bad = 0;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
		bad |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
	/* Files to read them; Landlock says which. */
	bad |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(open), 1,
	                        SCMP_A1(SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_TRUNC, 0));
	bad |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
	                        SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_TRUNC, 0));
	/* Memory, but none that can be executed. */
	bad |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
	                        SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	bad |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap2), 1,
	                        SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	bad |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
	                        SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	/* abort() signals its own process, and limits are looked at, not set. */
	bad |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
	                        SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)self, 0));
	bad |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(kill), 1,
	                        SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)self, 0));
	bad |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1,
	                        SCMP_A2(SCMP_CMP_EQ, 0, 0));
	return !bad;
}

static bool
close_calls(void)
{
	/* Without it in the kernel there is no filter. */
	if (prctl(PR_GET_SECCOMP) < 0)
		return true;
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	if (!filter)
		return false;
	/* Calls by numbers of another architecture, such as those of 32 bits. */
	seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	/* Fewer steps for the calls of each reading. */
	seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	/* There are no secrets here that a slower processor would keep. */
	seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
	const bool closed = allow_calls(filter) && seccomp_load(filter) == 0;
	seccomp_release(filter);
	return closed;
}

#else

static bool
close_calls(void)
{
	return true;
}

#endif

bool
wsi_lock_down(int file, size_t memory)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !set_limits(memory))
		return false;
	return close_files(file) && close_calls();
}
