"""From a YAML file to everything that a run needs. The shipped files lie in scenarios/ and
scenario_sets/.
"""
