# Boa on the official image of ROS 2 Jazzy, by the recipe of the README:
#   docker build -t boa . && docker run --rm -it boa ros2 launch boa_control hoal.launch.py sim:=true
FROM ros:jazzy-ros-base
SHELL ["/bin/bash", "-c"]
WORKDIR /ros2_ws
COPY . src/boa
# without a screen; what comes from pip lies in the virtual environment, newer than in Ubuntu
RUN apt-get update && apt-get install -y --no-install-recommends python3-pip python3-venv \
 && rosdep update --rosdistro jazzy \
 && rosdep install -y --from-paths src --ignore-src --skip-keys \
      "rviz2 joint_state_publisher_gui python3-mujoco-pip python3-cantools-pip python3-rosbags-pip" \
 && rm -rf /var/lib/apt/lists/*
RUN python3 -m venv --system-site-packages .boa && . .boa/bin/activate \
 && pip install --no-cache-dir -r src/boa/requirements/run.in \
 && source /opt/ros/jazzy/setup.bash && colcon build --symlink-install && source install/setup.bash \
 && python3 -m boa_sim.compiled
RUN sed -i '/^exec/i source /ros2_ws/.boa/bin/activate; source /ros2_ws/install/setup.bash' /ros_entrypoint.sh \
 && echo 'source /opt/ros/jazzy/setup.bash; source /ros2_ws/.boa/bin/activate; source /ros2_ws/install/setup.bash' >> /root/.bashrc
