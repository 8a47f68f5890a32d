package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
)

// The roles that transactions assume. Row-level security shows appRole the rows of the one tenant in trilith.tenant, and
// systemRole all rows. Only work across tenants assumes systemRole: leases, the change log, indexes, the doctor.
const (
	appRole    = "trilith_app"
	systemRole = "trilith_system"
)

// allTenants is the tenant of work across tenants, and noTenant that of work that reads no tenant's rows. No tenant can
// have either name.
const (
	allTenants = "*"
	noTenant   = ""
)

// stepIn begins every pipeline of one tenant outside a transaction of [database.in]. Its settings last until the end of
// the pipeline.
const stepIn = "SELECT set_config('role', '" + appRole + "', true), set_config('trilith.tenant', $1, true)"

// everyTenant is the policy that shows systemRole all rows. If a table has it, the policy of appRole has no wildcard.
const everyTenant = "every_tenant"

// parted tests whether this database has separate policies for the two roles.
const parted = "EXISTS (SELECT 1 FROM pg_policy WHERE polname = '" + everyTenant +
	"' AND polrelid = to_regclass('trilith.memories'))"

// enter queues the beginning of a pipeline of a tenant, or of [allTenants]. In the middle of a transaction it changes
// the tenant.
func (db *database) enter(ctx context.Context, b *pgx.Batch, tenant string) {
	db.step(ctx, b, tenant, "")
}

// enterWriting is enter for a pipeline that writes.
func (db *database) enterWriting(ctx context.Context, b *pgx.Batch, tenant string) {
	db.step(ctx, b, tenant, guard)
}

func (db *database) step(ctx context.Context, b *pgx.Batch, tenant, more string) {
	if tenant == allTenants {
		b.Queue(stepInAll(db.system) + db.impatient(ctx) + more)
		return
	}
	b.Queue(stepIn+db.impatient(ctx)+more, tenant)
}

// stepInAll is stepIn for work across tenants.
//
// A login may lack the right to create or assume systemRole. Then the policy of appRole has a wildcard, as before the
// second role existed. Another process may separate the policies at any time, so such a login tests it each time.
func stepInAll(system bool) string {
	role := "'" + systemRole + "'"
	if !system {
		role = "CASE WHEN " + parted + " THEN '" + systemRole + "' ELSE '" + appRole + "' END"
	}
	return "SELECT set_config('role', " + role + ", true), set_config('trilith.tenant', '" + allTenants + "', true)"
}

// stepInto makes sure that the login may assume appRole. The role that created appRole may grant itself the right.
func stepInto(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, stepIn, noTenant)
	if code(err) != insufficientPrivilege {
		return err
	}
	if _, err := conn.Exec(ctx, "GRANT "+appRole+" TO CURRENT_USER"); err == nil {
		_, err = conn.Exec(ctx, stepIn, noTenant)
		return err
	}
	return trilith.Errorf(trilith.Unavailable,
		"store: the login may not become the role %[1]s; as a superuser run: GRANT %[1]s TO the login", appRole)
}

// makeSystemRole creates systemRole if the login may, and reports whether the login may assume it. If not, advice has
// the statements that a superuser has to run.
func makeSystemRole(ctx context.Context, conn *pgx.Conn) (system bool, advice string, err error) {
	if err := makeRole(ctx, conn, systemRole); err != nil && trilith.KindOf(err) != trilith.Unavailable {
		return false, "", err
	}
	var there, apart bool
	var login string
	err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1), quote_ident(current_user),
		current_setting('server_version_num')::int >= 160000`, systemRole).Scan(&there, &login, &apart)
	if err != nil {
		return false, "", err
	}
	if there {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) (err error) {
			if err = mayStepInto(ctx, tx, systemRole); err == nil {
				_, err = tx.Exec(ctx, "SET LOCAL ROLE "+systemRole)
			}
			return err
		})
		if code(err) != insufficientPrivilege {
			return err == nil, "", err
		}
	} else {
		advice = "CREATE ROLE " + systemRole + " NOLOGIN; "
	}
	advice += "GRANT " + systemRole + " TO " + login
	if apart {
		advice += " WITH INHERIT FALSE"
	}
	return false, advice + ";", nil
}

// beginner begins a transaction: a connection, or a transaction for a nested one.
type beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// makeRole creates a role without login. Roles belong to the whole server, so another process may have created it, or
// be creating it.
func makeRole(ctx context.Context, db interface {
	beginner
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, name string) error {
	var has bool
	if err := db.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1)", name).Scan(
		&has); err != nil || has {
		return err
	}
	err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "CREATE ROLE "+name+" NOLOGIN")
		return err
	})
	switch code(err) {
	case duplicateObject, uniqueViolation:
		return nil
	case insufficientPrivilege:
		return trilith.Errorf(trilith.Unavailable,
			"store: the login may not create the role %[1]s; as a superuser run: CREATE ROLE %[1]s NOLOGIN; GRANT %[1]s TO the login", name)
	}
	return err
}

// mayStepInto grants the login the right to assume a role, if it can. The login does not inherit the role's rights, if
// the server can separate the two.
func mayStepInto(ctx context.Context, tx pgx.Tx, role string) error {
	var apart, may bool
	if err := tx.QueryRow(ctx, "SELECT current_setting('server_version_num')::int >= 160000").Scan(&apart); err != nil {
		return err
	}
	right := "MEMBER"
	if apart {
		right = "SET"
	}
	if err := tx.QueryRow(ctx, "SELECT pg_has_role(current_user, $1, $2)", role, right).Scan(&may); err != nil || may {
		return err
	}
	grant := "GRANT " + role + " TO CURRENT_USER"
	if apart {
		grant += " WITH INHERIT FALSE, SET TRUE"
	}
	err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, grant)
		return err
	})
	if code(err) == insufficientPrivilege { // another role may have granted it
		return nil
	}
	return err
}

// mayWorkForAll returns an error if a login without systemRole sees no rows: if the policies are separate, that of
// appRole does not show it all tenants.
func mayWorkForAll(ctx context.Context, conn *pgx.Conn, advice string) error {
	var apart bool
	if err := conn.QueryRow(ctx, "SELECT "+parted).Scan(&apart); err != nil || !apart {
		return err
	}
	return trilith.Errorf(trilith.Unavailable,
		"store: the login may not become the role %s, which jobs and the doctor use; as a superuser run: %s",
		systemRole, advice)
}

// Advice describes how the isolation of tenants can be improved beyond the rights of the login, with the statements
// that a superuser has to run for that; empty if it cannot.
func (u *upkeep) Advice() (lack, run string) {
	if u.system {
		return "", ""
	}
	return "a statement of the role " + appRole + " can read every tenant with trilith.tenant = '" + allTenants +
		"', because the login may not make or use the role " + systemRole, u.advice
}
